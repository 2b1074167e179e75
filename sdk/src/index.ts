/** svc inside a program. */

export type * from '@svc/core'
export { AMEND, defineConfig, definePlan, definePlugin, defineTool, SvcError } from '@svc/core'
export type { ServiceClientOptions } from './client-options.ts'
export type { ClientThread, ClientThreads } from './client-threads.ts'
export { createClient } from './create-client.ts'
export type { ApprovalAnswer, ClientRunOptions, InputQuestion } from './option-checks.ts'
export { ServiceClient } from './service-client.ts'
export type { RunStream } from './stream/run-stream.ts'
export { RESET } from './stream/text-pieces.ts'
export type { TypedResult } from './typed-output.ts'
