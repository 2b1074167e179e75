import { VERSION } from '@svc/core/version'
import { guardOutput } from './frame/output.ts'

const argv = process.argv.slice(2)
guardOutput()

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  // Nothing else is loaded for this.
  process.stdout.write(`svc ${VERSION}\n`)
} else {
  const { runCli } = await import('./frame/cli.ts')
  await runCli(argv)
  leave()
}

/** Work that a plugin left running does not keep the process alive once all output is written. */
function leave(): void {
  setTimeout(() => {
    if (process.stdout.writableLength > 0 || process.stderr.writableLength > 0) leave()
    else process.exit()
  }, 500).unref()
}
