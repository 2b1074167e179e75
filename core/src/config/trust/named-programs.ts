/** Which files the command of a tool runs, as far as words name them. */
import { accessSync, constants, statSync } from 'node:fs'
import { basename, dirname, extname, resolve, sep } from 'node:path'
import { readRegularFile } from '../read/read-regular-file.ts'
import { listAt } from './imported-names.ts'

/** Programs that take a file without its ending, or a module's name. */
const INTERPRETER =
  /^(?:node(?:js)?|tsx|ts-node|bun|deno|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua|(?:ba|da|z|k)?sh|pwsh)$/
const SHELL_SIGNS = /[\s;&|()<>`$"'=,]+/
/** Programs that run what a file of this name says. */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(['npm', 'npx', 'pnpm', 'yarn', 'bun'].map((name) => [name, ['package.json']])),
  ...Object.fromEntries(['make', 'gmake'].map((name) => [name, ['GNUmakefile', 'makefile', 'Makefile']])),
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'Taskfile.yaml'],
  rake: ['Rakefile'],
}
const PROGRAM_ENDING =
  /^\.(?:[cm]?[jt]sx?|py|rb|pl|php|lua|sh|bash|zsh|fish|ksh|ps1|psm1|cmd|bat|exe|awk|sed|mk|wasm)$/i
const SHELL_ENDING = /^(?:|\.sh|\.bash|\.zsh|\.ksh|\.fish|\.mk)$/i
/** Lines of other languages that start a program. */
const STARTS = /spawn|exec|fork|system|popen|subprocess|run\b|call\b|shell|\$`|command/i
const COMMAND = /\b(command|args)["']?\s{0,20}:\s{0,20}/g
const FOLDER = /\bcwd["']?\s{0,20}:\s{0,20}["'`]?([^"'`\n,}]{1,1000})/g
const WORD = /"([^"\n]{1,1000})"|'([^'\n]{1,1000})'|`([^`\n]{1,1000})`|([^\s,[\]"'`]{1,1000})/g
const MOST_COMMANDS = 200
const MOST_PROGRAMS = 500
const MOST_SCRIPT_BYTES = 1_000_000

/** What the words of a command may be as files; a word for an interpreter may lack its ending. */
export function filesOf([program = '', ...rest]: readonly string[]): string[] {
  const words = rest.flatMap((word) => [word, ...word.split(SHELL_SIGNS)])
  const loads = INTERPRETER.test(basename(program)) ? words.filter(Boolean).flatMap(modulesOf) : []
  const named = [program, ...words, ...loads]
  return named.filter((word) => word !== '' && !word.includes('{') && !word.startsWith('-'))
}

/** The commands that a text of a config names, and arguments by themselves: JSON, YAML, or code where they are written as they are. */
export function commandsIn(text: string): string[][] {
  const found = [...text.matchAll(COMMAND)].slice(0, MOST_COMMANDS)
  return found.map(({ 0: key, 1: field, index }) => {
    const words = [...listAt(text, index + key.length).matchAll(WORD)]
    return [...(field === 'args' ? [''] : []), ...words.map(([, ...forms]) => forms.find(Boolean) ?? '')]
  })
}

/** The folders that a text of a config says its commands start in. */
export const foldersIn = (text: string): string[] =>
  [...text.matchAll(FOLDER)].slice(0, MOST_COMMANDS).map(([, folder = '']) => folder.trim())

/**
 * The files of a folder that a command runs: program and scripts that it names, and the scripts that these name.
 *
 * @param folder files outside of it are not its own
 * @param from the command's working folder
 * @returns absolute paths of files that are there
 */
export function programsOf(command: readonly string[], folder: string, from = folder): string[] {
  const [program = '', ...rest] = command
  const script = INTERPRETER.test(basename(program)) ? rest.find((word) => !word.startsWith('-')) : undefined
  // whatever ending they have; of the other words, those that could be started
  const started = [program, ...(script === undefined ? [] : [script]), ...obeyedBy(program)]
  const own = [...filesOf(command), ...obeyedBy(program)]
  const found = new Set<string>()
  const open = own
    .map((word) => resolve(from, word))
    .filter((path, index) => started.includes(own[index] ?? '') || isProgram(path))
  for (let path = open.pop(); path !== undefined && found.size < MOST_PROGRAMS; path = open.pop()) {
    if (found.has(path) || !path.startsWith(folder + sep) || path.includes('\0') || !isFile(path)) continue
    found.add(path)
    open.push(...calledBy(path, from).filter(isProgram))
  }
  return [...found].sort()
}

/** What the lines of a script that start programs name. */
function calledBy(script: string, folder: string): string[] {
  const read = readRegularFile(script, MOST_SCRIPT_BYTES)
  if (!('bytes' in read) || read.bytes.includes(0)) return []
  const text = read.bytes.toString('utf8')
  const isShell = SHELL_ENDING.test(extname(script)) || /^#![^\n]{0,100}sh\b/.test(text)
  const lines = text.split('\n').filter((line) => isShell || STARTS.test(line))
  const words = lines.flatMap((line) => line.split(SHELL_SIGNS)).map((word) => word.slice(word.lastIndexOf('}') + 1))
  const here = dirname(script)
  return [...new Set(words)]
    .filter(Boolean)
    .flatMap((word) => [resolve(folder, word), resolve(here, word), resolve(here, `./${word}`)])
}

function isProgram(path: string): boolean {
  if (PROGRAM_ENDING.test(extname(path))) return true
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

const obeyedBy = (program: string): readonly string[] =>
  Object.hasOwn(RUNNERS, basename(program)) ? (RUNNERS[basename(program)] ?? []) : []

/** The files that an interpreter may take for a word. */
function modulesOf(word: string): string[] {
  const stems = [word, word.replaceAll('.', '/')].flatMap((stem) => [stem, `${stem}/index`, `${stem}/__main__`])
  return stems.flatMap((stem) =>
    ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts', 'json', 'py', 'rb'].map((end) => `${stem}.${end}`),
  )
}
