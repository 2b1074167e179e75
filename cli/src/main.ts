import { writeSync } from 'node:fs'
import { VERSION } from '@svc/core/version'

const argv = process.argv.slice(2)
if (!/^(?:--version|-V)$/.test(argv.join(' ')) || !writeVersion()) {
  const { start } = await import('./frame/start.ts')
  await start(argv)
}

/** Nothing else is loaded for this, and no stream. @returns false where standard output does not take it as it is */
function writeVersion(): boolean {
  try {
    return writeSync(1, `svc ${VERSION}\n`) > 0
  } catch {
    return false
  }
}
