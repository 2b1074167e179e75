import { defineConfig } from '@svc/core'
import { careful } from './careful.ts'
import { cited } from './cited.ts'

export default defineConfig({
  provider: 'offline',
  plugins: [careful({ from: 0.1 }), cited()], // asked before the defaults
})
