/** Small questions about paths, which are relative to the workspace; folders end with `/`. */

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)
export const depthOf = (path: string): number => path.replace(/\/$/, '').split('/').length

/** A dot and what ends the name of a file; `process.env` and `lodash.omit` are none. */
export const FILE_ENDING =
  /\.(?:[cm]?[jt]sx?|pyi?|json[c5l]?|mdx?|txt|rst|ya?ml|toml|ini|css|s[ac]ss|html?|vue|svelte|svg|sh|sql|[ct]sv|rs|go|java|kts?|c|cc|cpp|h|hpp|cs|rb|php|swift|lua|xml|lock)$/i
