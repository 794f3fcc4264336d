/** Addresses of the files of the bundled map (web/vite/world-map). */
declare module 'virtual:world-map/*' {
  export const address: string;
}

/** Where its towns are. */
declare module 'virtual:world-map/towns' {
  export const cells: readonly import('./map/town-cells.ts').TownCell[];
}

/** Where its tiles are, by the file's key (map/ground-tiles.ts). */
declare module 'virtual:world-map/ground' {
  export const addresses: Readonly<Record<string, string>>;
}
