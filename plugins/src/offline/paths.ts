/** Small questions about paths, which are relative to the workspace; folders end with `/`. */

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)
export const depthOf = (path: string): number => path.replace(/\/$/, '').split('/').length
