import { join } from 'node:path'
import { ValidationError } from '@svc/core'
import { DATA_FILE } from '@svc/core/config'
import { chooseDataPlace } from '../../stores/data-place.ts'
import { type Backup, backUpFile, type Restored, restoreFile } from '../../stores/sqlite/file/backup.ts'
import { type DatabasePlace, placeOfUrl, type RunStoreSources } from '../run-store.ts'

/** Where it is looked which store a folder has. */
export type StoreSources = Pick<RunStoreSources, 'loaded' | 'env'>

/**
 * Copies the runs of a store, and what they left, into a file for its owner alone; also while they are at work.
 *
 * @param options.isForced true: it takes the place of what is there. Default false
 * @throws ValidationError for a place that is taken, or a store that is no file; SvcError `store_unavailable`, `disk_full`
 */
export const backUpStore = (
  sources: StoreSources,
  to: string,
  { isForced = false }: { isForced?: boolean } = {},
): Backup => backUpFile(findFile(sources, 'pg_dump --schema=svc --schema=svc_dbos', to).file, to, isForced)

/**
 * Puts a copy that `backUpStore` made in the place of a store. What was there stays beside it.
 *
 * @throws ValidationError for what is no whole copy, or a store that is no file; SvcError `store_unavailable` for one that a process
 *   uses, `disk_full`
 */
export function restoreStore(sources: StoreSources, from: string): Restored {
  const { file, project } = findFile(sources, 'psql --set=ON_ERROR_STOP=1 --single-transaction', from)
  return restoreFile(from, file, project)
}

/** @param program what does the same in PostgreSQL, @param copy the file that it writes or reads */
function findFile(sources: StoreSources, program: string, copy: string): DatabasePlace {
  const url = postgresOf(sources)
  if (url === undefined) return findDatabase(sources)
  // It may hold a password.
  const isVariable = url === sources.env.SVC_DATABASE_URL
  const address = isVariable ? '"$SVC_DATABASE_URL"' : "'<store.url>'"
  throw new ValidationError(
    'validation_failed',
    `the runs are in PostgreSQL, whose own programs copy them: ${program} --file=${JSON.stringify(copy)} ${address}`,
  )
}

/** The address of the PostgreSQL that the runs are in; undefined where they are in none. */
export function postgresOf({ loaded, env }: StoreSources): string | undefined {
  const url = loaded.config.store?.url ?? env.SVC_DATABASE_URL ?? ''
  return /^postgres(?:ql)?:/.test(url) ? url : undefined
}

/** The file that the runs are in. @throws ValidationError for a store that is no file */
export function findDatabase({ loaded, env }: StoreSources): DatabasePlace {
  const { url } = loaded.config.store ?? {}
  if (url?.startsWith('sqlite:')) return placeOfUrl(url, loaded, env)
  const place = url === undefined ? chooseDataPlace(true, loaded, env) : undefined
  if (place === undefined)
    throw new ValidationError('validation_failed', `/store/url: a store "${url?.split(':')[0]}:" is no file`)
  const { dir, project } = place
  return { file: join(dir, DATA_FILE), ...(project && { project }) }
}
