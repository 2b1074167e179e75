import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { LoadedConfig } from '@svc/core'
import {
  checkTrust,
  DATA_FILE,
  defaultCacheDir,
  defaultUserDir,
  filesOf,
  fileVariables,
  getDataDir,
  LOCAL_KEY_FILE,
  PROJECT_MCP_FILE,
  programsOf,
  TRUST_FILE,
  USER_MCP_FILE,
} from '@svc/core/config'
import { AUDIT_FOLDER } from '../audit/audit-log.ts'
import { LOGINS_FILE } from '../mcp/oauth/logins-file.ts'
import { isInside, realOf } from '../tools/files/workspace.ts'
import { type Guarded, isGuardedName } from '../tools/programs/always-ask.ts'

type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** Where a runtime keeps what it answers for. */
export interface KeptPlaces {
  /** Folders for data. */
  dirs: readonly string[]
  /** Databases that lie elsewhere. */
  files: readonly string[]
  /** Of the audit log. */
  audit: string | undefined
}

const POSTGRES_PORT = 5_432

/**
 * What a config adds to the files that are always asked about: the folders of svc that are the person's own, the files that
 * svc loads for a project, and those that the commands of tools name.
 */
export function findGuarded(
  loaded: LoadedConfig,
  workspace: string,
  env: EnvironmentVariables,
  { dirs, files, audit }: KeptPlaces,
): Guarded {
  const root = realOf(workspace)
  const dataDirs = [getDataDir(loaded, env), ...dirs]
  // a folder around the workspace is not kept as a whole
  const logs = dataDirs.map((dir) => join(dir, AUDIT_FOLDER))
  const kept = [...dataDirs, ...logs, ...files.map((file) => dirname(file)), ...(audit === undefined ? [] : [audit])]
    .map(deepRealOf)
    .filter((dir) => !isInside(dir, root))
  const inWorkspace = [...files, ...dataDirs.map((dir) => join(dir, DATA_FILE))].filter((file) =>
    isInside(realOf(dirname(file)), root),
  )
  const databases = inWorkspace.flatMap((file) =>
    ['', '-wal', '-shm', '-journal', '-reserve'].map((ending) => `${resolve(file)}${ending}`),
  )
  const userDir = defaultUserDir(env)
  const commands = loaded.tools.flatMap(({ config }) => (config === false || !config.command ? [] : [config.command]))
  const isProject = loaded.projectDir !== undefined || loaded.files.some((file) => basename(file) === PROJECT_MCP_FILE)
  const loads = isProject ? [...checkTrust(loaded.workspace, { userDir }).files.keys()] : []
  const named = commands.flatMap((command) => [
    ...filesOf(command).map((name) => resolve(workspace, name)),
    // what a package manager reads is asked about by its name, and changed by a program that a person approved
    ...programsOf(command, resolve(workspace)).filter((path) => !isGuardedName(basename(path))),
  ])
  const programs = [...loaded.files, ...loads, ...named, ...databases, ...findKeyFiles(loaded, env)].filter(
    (path) => path !== resolve(workspace),
  )
  return {
    folders: outermost([...[userDir, defaultCacheDir(env)].map(deepRealOf), ...kept], root),
    kept: [...kept, deepRealOf(join(userDir, TRUST_FILE))],
    // copies are made while a process is at work, too
    get files() {
      return [...new Set([...databases, ...inWorkspace.flatMap(copiesOf)].map(deepRealOf))]
    },
    programs: [...new Set(programs.flatMap((path) => [path, deepRealOf(path)]))],
  }
}

/** What no tool reads either: the databases, and the folders that svc alone writes to. With links resolved. */
export function findUnread(
  loaded: LoadedConfig,
  env: EnvironmentVariables,
  { dirs, files, audit }: KeptPlaces,
): { files: string[]; folders: string[] } {
  const dataDirs = [getDataDir(loaded, env), ...dirs].map(deepRealOf)
  return {
    files: [...files.map(deepRealOf), ...dataDirs.map((dir) => join(dir, DATA_FILE))],
    folders: [
      ...dataDirs,
      ...(audit === undefined ? [] : [deepRealOf(audit)]),
      ...dataDirs.map((dir) => join(dir, AUDIT_FOLDER)),
    ],
  }
}

/** What lies beside a database under a name that begins with its own. */
function copiesOf(file: string): string[] {
  const dir = dirname(resolve(file))
  try {
    const names = readdirSync(dir)
    return names.filter((name) => name.startsWith(`${basename(file)}.`)).map((name) => join(dir, name))
  } catch {
    return [] // nothing was kept there yet
  }
}

/** Without what lies in another one of them; the workspace is none of these. */
const outermost = (folders: readonly string[], root: string): string[] => [
  ...new Set(
    folders.filter((folder) => !folders.some((other) => other !== folder && other !== root && isInside(other, folder))),
  ),
]

/** TCP ports of the database that `store.url` or `SVC_DATABASE_URL` names. */
export function databasePorts(loaded: LoadedConfig, env: EnvironmentVariables): number[] {
  const url = loaded.config.store?.url ?? env.SVC_DATABASE_URL ?? ''
  return /^postgres(?:ql)?:/.test(url) && URL.canParse(url) ? [Number(new URL(url).port || POSTGRES_PORT)] : []
}

/** The files that hold keys: that of this machine, those that variables name, logins and keys of MCP servers. */
export function findKeyFiles(loaded: LoadedConfig, env: EnvironmentVariables): string[] {
  const servers = [env.SERVICE_API_KEYS_FILE, env.SERVICE_API_KEY_FILE].flatMap((file) => (file ? [file] : []))
  const named = [...servers, ...fileVariables(env).map(({ file }) => file)].map((file) => resolve(file))
  const own = [LOGINS_FILE, USER_MCP_FILE].map((name) => deepRealOf(join(defaultUserDir(env), name)))
  return [deepRealOf(join(getDataDir(loaded, env), LOCAL_KEY_FILE)), ...named, ...own]
}

/** A path with the links of what is there of it resolved. */
function deepRealOf(path: string): string {
  for (let there = path; ; there = dirname(there)) {
    if (existsSync(there) || there === dirname(there)) return join(realOf(there), relative(there, path))
  }
}
