import { SvcError, toSvcError } from '@svc/core'
import type { ServerContext } from './server-context.ts'

const CHECK_MS = 5_000

/** What new work needs, each `ok` or what is wrong with it. */
export async function readinessOf({ runtime, isDraining }: ServerContext): Promise<Record<string, string>> {
  return { store: await storeOf(runtime), draining: isDraining ? 'the server is about to end' : 'ok' }
}

/** A store that answers a read within five seconds. */
async function storeOf(runtime: ServerContext['runtime']): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SvcError('store_unavailable', 'no answer from the store')), CHECK_MS)
  })
  try {
    await Promise.race([runtime.runs.list({ limit: 1 }), late])
    return 'ok'
  } catch (thrown) {
    return toSvcError(thrown).code
  } finally {
    clearTimeout(timer)
  }
}
