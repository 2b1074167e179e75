import { createMemoryStore, definePlugin, type Store } from '@svc/core'

/** Counts what a store is asked to write. */
export const counts = { created: 0, commits: 0 }

/** Makes the store of `counting:` addresses known: rows in memory, every write counted. */
export const countingStore = definePlugin('counting-store', ({ stores }) => {
  stores.add('counting', ({ clock }): Store => {
    const store = createMemoryStore({ clock })
    const create = store.create.bind(store)
    const commit = store.commit.bind(store)
    return Object.assign(store, {
      create(...args: Parameters<Store['create']>) {
        counts.created++
        return create(...args)
      },
      commit(...args: Parameters<Store['commit']>) {
        counts.commits++
        return commit(...args)
      },
    })
  })
})
