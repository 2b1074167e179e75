/** Preloaded before a test file: every property test starts from the seed that the runner chose and printed. */
import fc from 'fast-check'

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.SVC_SEED) })
