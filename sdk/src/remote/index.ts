/** `@svc/sdk/remote`: the client of a server, in a browser or any other runtime: nothing here imports a module of Node. */
export type * from '@svc/core'
export { SvcError } from '@svc/core/client'
export type { ClientRunOptions } from '../client.ts'
export type { InputQuestion } from '../option-checks.ts'
export type { RunStream } from '../run-stream.ts'
export { createClient, ServiceClient } from './remote-client.ts'
export { isServerUrl, type RemoteOptions as ServiceClientOptions } from './remote-options.ts'
export { createRemoteRuntime } from './remote-runtime.ts'
