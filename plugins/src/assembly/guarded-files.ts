import { existsSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { LoadedConfig } from '@svc/core'
import { checkTrust, defaultCacheDir, defaultUserDir, filesOf, getDataDir, programsOf } from '@svc/core/config'
import { realOf } from '../tools/files/workspace.ts'
import { type Guarded, isGuardedName } from '../tools/programs/always-ask.ts'
import { pathOfUrl } from './run-store.ts'

type EnvironmentVariables = Readonly<Record<string, string | undefined>>

const POSTGRES_PORT = 5_432

/**
 * What a config adds to the files that are always asked about: the folders of svc that are the person's own, the files that
 * svc loads for a project, and those that the commands of tools name.
 */
export function findGuarded(loaded: LoadedConfig, workspace: string, env: EnvironmentVariables): Guarded {
  const userDir = defaultUserDir(env)
  const commands = loaded.tools.flatMap(({ config }) => (config === false || !config.command ? [] : [config.command]))
  const loads = loaded.projectDir === undefined ? [] : [...checkTrust(loaded.workspace, { userDir }).files.keys()]
  const named = commands.flatMap((command) => [
    ...filesOf(command).map((name) => resolve(workspace, name)),
    // what a package manager reads is asked about by its name, and changed by a program that a person approved
    ...programsOf(command, resolve(workspace)).filter((path) => !isGuardedName(basename(path))),
  ])
  const programs = [...loaded.files, ...loads, ...named].filter((path) => path !== resolve(workspace))
  const database = pathOfUrl(loaded.config.store?.url ?? '', workspace)
  return {
    folders: [userDir, defaultCacheDir(env), getDataDir(loaded, env)].map(deepRealOf),
    files: database === undefined ? [] : ['', '-wal', '-shm', '-reserve'].map((end) => deepRealOf(database) + end),
    programs: [...new Set(programs.flatMap((path) => [path, deepRealOf(path)]))],
  }
}

/** TCP ports of the database that `store.url` or `SVC_DATABASE_URL` names. */
export function databasePorts(loaded: LoadedConfig, env: EnvironmentVariables): number[] {
  const url = loaded.config.store?.url ?? env.SVC_DATABASE_URL ?? ''
  return /^postgres(?:ql)?:/.test(url) && URL.canParse(url) ? [Number(new URL(url).port || POSTGRES_PORT)] : []
}

/** A path with the links of what is there of it resolved. */
function deepRealOf(path: string): string {
  for (let there = path; ; there = dirname(there)) {
    if (existsSync(there) || there === dirname(there)) return join(realOf(there), relative(there, path))
  }
}
