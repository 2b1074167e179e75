#!/usr/bin/env node
// The launcher is committed, because npm links it before the build has run.
const main = new URL('../dist/main.js', import.meta.url)
try {
  await import(main.href)
} catch (error) {
  if (error?.code !== 'ERR_MODULE_NOT_FOUND' || !String(error.message).includes('dist/main.js')) throw error
  process.stderr.write('svc is not built yet: run `npm run build` in its folder.\n')
  process.exitCode = 70
}
