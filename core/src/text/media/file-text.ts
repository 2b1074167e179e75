/** The text of a file as it stands in the material of a run. */
export const toFileText = (name: string, text: string): string => `File ${name}:\n${text}`

/** The files in the material of a run by their names, and where each begins, with the blank line before it. */
export const findFileTexts = (material: string): { name: string; at: number }[] =>
  [...material.matchAll(/(?:^|\n\n)File ([^\n]{1,300}):\n/g)].map(({ 1: name = '', index }) => ({ name, at: index }))
