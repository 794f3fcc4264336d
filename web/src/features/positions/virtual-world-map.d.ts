/** Addresses of the files of the bundled map (web/vite/world-map). */
declare module 'virtual:world-map/*' {
  export const address: string;
}

/** The addresses of its towns. */
declare module 'virtual:world-map/towns' {
  export const cells: readonly import('./map/town-cells.ts').TownCell[];
}

/** The addresses of its tiles, by the file's key (map/ground-tiles.ts). */
declare module 'virtual:world-map/ground' {
  export const addresses: Readonly<Record<string, string>>;
}
