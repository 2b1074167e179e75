import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigError, definePlugin, type Host, type LoadedConfig, type Plugin, type Store } from '@svc/core'
import { DATA_FILE } from '@svc/core/config'
import { chooseDataPlace, findDataProject, isDataDirStated, type Persist } from '../stores/data-place.ts'
import { PostgresStore } from '../stores/postgres/postgres-store.ts'
import type { DataProject } from '../stores/sqlite/file/data-file.ts'
import { SqliteStore } from '../stores/sqlite/sqlite-store.ts'

/** What decides where runs are kept. */
export interface RunStoreSources {
  loaded: LoadedConfig
  persist: Persist
  env: Readonly<Record<string, string | undefined>>
  clock: (() => number) | undefined
  /** Of the folder that runs belong to. */
  space: string
}

/**
 * The store of runs in PostgreSQL where `SVC_DATABASE_URL` names one, else in the data folder; undefined where a
 * `store.url` names another, and where nobody has asked that runs outlive the process: a folder `.svc/data` alone does
 * not ask.
 *
 * @throws ConfigError `config_invalid` for a variable that names no PostgreSQL
 */
export function createRunStore({ loaded, persist, env, clock, space }: RunStoreSources): Store | undefined {
  const { store = {} } = loaded.config
  const { fsync } = store
  const more = { ...(fsync && { fsync }), ...(clock && { clock }) }
  if (store.url !== undefined) return undefined
  const { SVC_DATABASE_URL: url } = env
  if (url !== undefined && url !== '' && persist !== false) {
    if (/^postgres(?:ql)?:\/\//.test(url))
      return new PostgresStore({ url, limits: store.limits, migrate: store.migrate, ...more })
    throw new ConfigError('config_invalid', 'SVC_DATABASE_URL: write postgres://user:password@host:5432/database')
  }
  if (persist === undefined && !isDataDirStated(loaded, env)) return undefined
  const place = chooseDataPlace(persist, loaded, env)
  if (place === undefined) return undefined
  const { dir, ...rest } = place
  return new SqliteStore({ file: join(dir, DATA_FILE), ...rest, space, ...more })
}

/**
 * The stores that `store.url` may name: `postgres:`, and `sqlite:` with the path of a file, or of a folder for one.
 *
 * @param onHost is handed what leads to the store that was chosen in the end
 */
export const storesPlugin = (
  loaded: LoadedConfig,
  env: RunStoreSources['env'],
  space: string,
  onHost: (host: Host) => void,
): Plugin =>
  definePlugin('stores', (host) => {
    const { stores } = host
    onHost(host)
    stores.add('sqlite', ({ url = '', fsync, clock }) => {
      return new SqliteStore({ ...placeOfUrl(url, loaded, env), space, clock, ...(fsync && { fsync }) })
    })
    for (const scheme of ['postgres', 'postgresql']) {
      stores.add(scheme, ({ url = '', fsync, clock }) => {
        const { limits, migrate } = loaded.config.store ?? {}
        // Only a clock that somebody has set is asked instead of the database's.
        const own = clock === Date.now ? {} : { clock }
        return new PostgresStore({ url, limits, migrate, ...own, ...(fsync && { fsync }) })
      })
    }
  })()

/** The database that `sqlite:` and a path names: a file, or one in a folder. */
export function placeOfUrl(url: string, loaded: LoadedConfig, env: RunStoreSources['env']): DatabasePlace {
  const named = /^sqlite:(?:\/\/(?=\/))?(.*)$/.exec(url)?.[1] ?? ''
  if (named === '' || named.startsWith('//')) {
    throw new ConfigError('config_invalid', `/store/url: "${url}" names no file: write "sqlite:path/to/svc.db"`)
  }
  const path = resolve(loaded.workspace, named)
  const isFolder = existsSync(path) && statSync(path).isDirectory()
  const project = findDataProject(loaded, '/store/url', path, env)
  return { file: isFolder ? join(path, DATA_FILE) : path, ...(project && { project }) }
}

/** A database of runs. */
export interface DatabasePlace {
  file: string
  project?: DataProject
}
