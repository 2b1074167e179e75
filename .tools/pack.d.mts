export function isBuilt(names?: readonly string[]): boolean
export function packInto(folder: string, names?: readonly string[]): string[]
