import { StreamHost } from './stream-host.ts'
import workerUrl from './stream-worker.ts?sharedworker&url'

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): {
    createScriptURL(url: string): string
  }
}

/** The name that the server's content policy allows. */
const POLICY = 'svc-worker'

/** The one script that a worker of the page may be made of. */
const trustedUrl =
  (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes
    ?.createPolicy(POLICY, { createScriptURL: () => workerUrl })
    .createScriptURL('') ?? workerUrl

/** Whether a window can share its stream with others. */
export const canShare = typeof SharedWorker !== 'undefined'

/** A way to the worker that holds the stream of all windows. @param onFail called where it cannot be loaded */
export function openShared(onFail: () => void): MessagePort {
  const worker = new SharedWorker(trustedUrl, { type: 'module', name: 'svc-events' })
  worker.onerror = onFail
  return worker.port
}

let host: StreamHost | undefined

/** A way to a stream of this window's own. */
export function openOwn(): MessagePort {
  host ??= new StreamHost(location.origin)
  const { port1, port2 } = new MessageChannel()
  host.connect(port1)
  return port2
}
