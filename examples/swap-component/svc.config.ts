import { defineConfig } from '@svc/core'

export default defineConfig({
  components: { allocate: './even.ts' }, // in the place of the default plugin `allocate`
})
