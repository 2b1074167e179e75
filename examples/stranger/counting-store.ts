import { createMemoryStore, definePlugin, type Store } from '@svc/core'

/** Counts what a store is asked to write. */
export const counts = { created: 0, commits: 0 }

/** Makes the store of `counting:` addresses known: rows in memory, every write counted. */
export const countingStore = definePlugin('counting-store', ({ stores }) => {
  stores.add('counting', ({ clock }) => {
    const rows = createMemoryStore({ clock })
    const counting: Pick<Store, 'create' | 'commit'> = {
      create(...args) {
        counts.created++
        return rows.create(...args)
      },
      commit(...args) {
        counts.commits++
        return rows.commit(...args)
      },
    }
    return Object.assign(Object.create(rows) as Store, counting)
  })
})
