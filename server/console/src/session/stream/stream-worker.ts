/** The worker that all windows of the console share. */
import { StreamHost } from './stream-host.ts'

const host = new StreamHost(location.origin)
const scope = globalThis as unknown as { onconnect: (event: MessageEvent) => void }
scope.onconnect = ({ ports: [port] }) => port && host.connect(port)
