import { existsSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { LoadedConfig } from '@svc/core'
import {
  checkTrust,
  defaultCacheDir,
  defaultUserDir,
  filesOf,
  getDataDir,
  LOCAL_KEY_FILE,
  programsOf,
} from '@svc/core/config'
import { realOf } from '../tools/files/workspace.ts'
import { type Guarded, isGuardedName } from '../tools/programs/always-ask.ts'

type EnvironmentVariables = Readonly<Record<string, string | undefined>>

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
  return {
    folders: [userDir, defaultCacheDir(env), getDataDir(loaded, env)].map(realOf),
    programs: [...new Set(programs.flatMap((path) => [path, deepRealOf(path)]))],
  }
}

/** The files that hold keys of servers: that of this machine, and those that variables name. */
export function findKeyFiles(loaded: LoadedConfig, env: EnvironmentVariables): string[] {
  const named = [env.SERVICE_API_KEYS_FILE, env.SERVICE_API_KEY_FILE].flatMap((file) => (file ? [resolve(file)] : []))
  return [deepRealOf(join(getDataDir(loaded, env), LOCAL_KEY_FILE)), ...named]
}

/** A path with the links of what is there of it resolved. */
function deepRealOf(path: string): string {
  for (let there = path; ; there = dirname(there)) {
    if (existsSync(there) || there === dirname(there)) return join(realOf(there), relative(there, path))
  }
}
