import { definePlugin } from '../../../src/index.ts'

/** Waits for something that does not come. */
export default definePlugin('never-settles', ({ hooks }) => {
  hooks.analyze.tapPromise('never-settles', () => new Promise(() => {}))
})
