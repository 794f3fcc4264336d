/** Addresses of the files of the bundled map (web/vite/world-map). */
declare module 'virtual:world-map/*' {
  export const address: string;
}
