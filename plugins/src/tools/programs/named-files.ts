import { basename } from 'node:path'

/** Programs that take a file without its ending, or a module's name. */
const INTERPRETER =
  /^(?:node(?:js)?|tsx|ts-node|bun|deno|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua|(?:ba|da|z|k)?sh|pwsh)$/
const SHELL_SIGNS = /[\s;&|()<>`$"'=,]+/

/** What the words of a command may be as files; a word for an interpreter may lack its ending. */
export function filesOf([program = '', ...rest]: readonly string[]): string[] {
  const words = rest.flatMap((word) => [word, ...wordsOf(word)])
  const loads = INTERPRETER.test(basename(program)) ? words.filter(Boolean).flatMap(modulesOf) : []
  return [program, ...words, ...loads].filter((word) => word !== '' && !word.includes('{') && !word.startsWith('-'))
}

/** The words of a line of a shell. */
export const wordsOf = (line: string): string[] => line.split(SHELL_SIGNS)

/** The files that an interpreter may take for a word. */
function modulesOf(word: string): string[] {
  const stems = [word, word.replaceAll('.', '/')].flatMap((stem) => [stem, `${stem}/index`, `${stem}/__main__`])
  return stems.flatMap((stem) =>
    ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts', 'json', 'py', 'rb'].map((end) => `${stem}.${end}`),
  )
}
