import { existsSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { LoadedConfig } from '@svc/core'
import { checkTrust, defaultCacheDir, defaultUserDir, getDataDir } from '@svc/core/config'
import { realOf } from '../tools/files/workspace.ts'
import type { Guarded } from '../tools/programs/always-ask.ts'

type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** Programs that take a file without its ending, or a module's name. */
const INTERPRETER =
  /^(?:node(?:js)?|tsx|ts-node|bun|deno|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua|(?:ba|da|z|k)?sh|pwsh)$/
const SHELL_SIGNS = /[\s;&|()<>`$"'=,]+/

/**
 * What a config adds to the files that are always asked about: the folders of svc that are the person's own, the files that
 * svc loads for a project, and those that the commands of tools name.
 */
export function findGuarded(loaded: LoadedConfig, workspace: string, env: EnvironmentVariables): Guarded {
  const userDir = defaultUserDir(env)
  const commands = loaded.tools.flatMap(({ config }) => (config === false || !config.command ? [] : [config.command]))
  const loads = loaded.projectDir === undefined ? [] : [...checkTrust(loaded.workspace, { userDir }).files.keys()]
  const named = commands.flatMap(filesOf).map((name) => resolve(workspace, name))
  const programs = [...loaded.files, ...loads, ...named].filter((path) => path !== resolve(workspace))
  return {
    folders: [userDir, defaultCacheDir(env), getDataDir(loaded, env)].map(realOf),
    programs: [...new Set(programs.flatMap((path) => [path, deepRealOf(path)]))],
  }
}

/** What the words of a command may be as files; a word for an interpreter may lack its ending. */
function filesOf([program = '', ...rest]: readonly string[]): string[] {
  const words = rest.flatMap((word) => [word, ...word.split(SHELL_SIGNS)])
  const loads = INTERPRETER.test(basename(program)) ? words.filter(Boolean).flatMap(modulesOf) : []
  return [program, ...words, ...loads].filter((word) => word !== '' && !word.includes('{') && !word.startsWith('-'))
}

/** The files that an interpreter may take for a word. */
function modulesOf(word: string): string[] {
  const stems = [word, word.replaceAll('.', '/')].flatMap((stem) => [stem, `${stem}/index`, `${stem}/__main__`])
  return stems.flatMap((stem) =>
    ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts', 'json', 'py', 'rb'].map((end) => `${stem}.${end}`),
  )
}

/** A path with the links of what is there of it resolved. */
function deepRealOf(path: string): string {
  for (let there = path; ; there = dirname(there)) {
    if (existsSync(there) || there === dirname(there)) return join(realOf(there), relative(there, path))
  }
}
