import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createMemoryStore, type Host, type LoadedConfig, type Store, SvcError, type Warning } from '@svc/core'
import { DATA_FILE } from '@svc/core/config'
import { chooseDataPlace, type DataPlace, spaceOf } from '../stores/data-place.ts'
import { SqliteStore } from '../stores/sqlite/sqlite-store.ts'
import type { RunStoreSources } from './run-store.ts'

/** Where memories, lessons and outcomes are kept. */
export interface RecordStore extends Pick<Store, 'records'> {
  /** Whether that is the store of the runs. */
  isOfRuns: boolean
  /** Hands over the store of the runs, which a plugin may have made known. */
  connect(host: Pick<Host, 'records'>): void
  /** What speaks against what is remembered, once the store of the runs is open. */
  warning(): Promise<Warning | undefined>
  close(): Promise<void>
}

/**
 * The store of the runs; where runs are not kept, the project's data folder if it is there; and where nothing is to be kept,
 * none that outlives the process.
 *
 * @param runStore where it is known already
 */
export function createRecordStore(
  { loaded, persist, env }: Omit<RunStoreSources, 'clock' | 'space'>,
  runStore: Store | undefined,
): RecordStore {
  if (persist === false) return ofStore(createMemoryStore())
  const place = chooseDataPlace(persist, loaded, env)
  const isElsewhere = loaded.config.store?.url !== undefined
  if (runStore === undefined && !isElsewhere && place !== undefined) return ofFolder(place)
  let host: Pick<Host, 'records'> | undefined
  const records: Store['records'] = (kind, space) => {
    if (host !== undefined) return host.records(kind, space)
    throw new SvcError('store_unavailable', 'the store of the runs is not known before plugins were applied')
  }
  return {
    isOfRuns: true,
    records,
    connect: (connected) => {
      host = connected
    },
    async warning() {
      const isOther = isElsewhere || !(runStore instanceof SqliteStore)
      return isOther && place !== undefined ? findLeftBehind(place, { records }, loaded) : undefined
    },
    close: async () => {},
  }
}

const ofStore = (store: Store): RecordStore => ({
  isOfRuns: false,
  records: (kind, space) => store.records(kind, space),
  connect: () => {},
  warning: async () => undefined,
  close: async () => store.close(),
})

/** Opened by the first call. */
function ofFolder({ dir, ...place }: DataPlace): RecordStore {
  const store = new SqliteStore({ file: join(dir, DATA_FILE), ...place })
  return {
    ...ofStore(store),
    records: (kind, space) => {
      store.open()
      return store.records(kind, space)
    },
  }
}

/** What an earlier svc remembered in the data folder, as long as nothing is remembered where memories are kept now. */
async function findLeftBehind(
  { dir, ...place }: DataPlace,
  now: Pick<Store, 'records'>,
  loaded: LoadedConfig,
): Promise<Warning | undefined> {
  const file = join(dir, DATA_FILE)
  const count = async (store: Pick<Store, 'records'>): Promise<number> => {
    const spaces = ['', spaceOf(loaded)].map((space) => store.records('memory', space).all())
    return (await Promise.all(spaces)).reduce((sum, { data }) => sum + data.length, 0)
  }
  if (!existsSync(file) || (await count(now)) > 0) return undefined
  const old = new SqliteStore({ file, ...place })
  try {
    old.open()
    const left = await count(old)
    if (left === 0) return undefined
    const message = `${left} memories in ${file} are not read: memories are kept with the runs. docs/storage.md says how to bring them over`
    return { code: 'memory_elsewhere', message }
  } catch {
    return undefined // nothing can be read there
  } finally {
    await old.close()
  }
}
