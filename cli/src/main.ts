import { VERSION } from '@svc/core/version'

const argv = process.argv.slice(2)

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  // Nothing else is loaded for this.
  process.stdout.write(`svc ${VERSION}\n`)
} else {
  const { runCli } = await import('./cli.ts')
  await runCli(argv)
}
