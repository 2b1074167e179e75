import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigError, definePlugin, type LoadedConfig, type Plugin, type Store } from '@svc/core'
import { DATA_FILE } from '../stores/data-file.ts'
import { chooseDataPlace, isDataDirStated, type Persist } from '../stores/data-place.ts'
import { SqliteStore } from '../stores/runs/sqlite-store.ts'

/** What decides where runs are kept. */
export interface RunStoreSources {
  loaded: LoadedConfig
  persist: Persist
  env: Readonly<Record<string, string | undefined>>
  clock: (() => number) | undefined
}

/**
 * The store of runs in the data folder; undefined where a `store.url` names another, and where nobody has asked that runs
 * outlive the process: a folder `.svc/data` alone does not ask.
 */
export function createRunStore({ loaded, persist, env, clock }: RunStoreSources): Store | undefined {
  const { store = {} } = loaded.config
  if (store.url !== undefined || (persist === undefined && !isDataDirStated(loaded, env))) return undefined
  const place = chooseDataPlace(persist, loaded, env)
  if (place === undefined) return undefined
  const { dir, ...rest } = place
  const { fsync, retainDays } = store
  return new SqliteStore({
    file: join(dir, DATA_FILE),
    ...rest,
    retainDays,
    ...(fsync && { fsync }),
    ...(clock && { clock }),
  })
}

/** The stores that `store.url` may name: `sqlite:` with the path of a file, or of a folder for one. */
export const storesPlugin = (loaded: LoadedConfig): Plugin =>
  definePlugin('stores', ({ stores }) => {
    stores.add('sqlite', ({ url = '', fsync, clock }) => {
      const path = url.slice(url.indexOf(':') + 1).replace(/^\/\/(?=\/)/, '')
      if (path === '' || path.startsWith('//')) {
        throw new ConfigError('config_invalid', `/store/url: "${url}" names no file: write "sqlite:path/to/svc.db"`)
      }
      const file = resolve(loaded.workspace, path)
      const isFolder = existsSync(file) && statSync(file).isDirectory()
      return new SqliteStore({
        file: isFolder ? join(file, DATA_FILE) : file,
        space: loaded.projectDir ?? loaded.workspace,
        retainDays: loaded.config.store?.retainDays,
        clock,
        ...(fsync && { fsync }),
      })
    })
  })()
