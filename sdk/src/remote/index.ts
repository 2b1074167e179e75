/** `@svc/sdk/remote`: the client of a server, in a browser or any other runtime: nothing here imports a module of Node. */
export type * from '@svc/core/client'
export { SvcError } from '@svc/core/client'
export type { ClientThread, ClientThreads } from '../client-threads.ts'
export type { Comparison, ExperimentReport } from '../experiment/report/experiment-report.ts'
export type { Estimate, Interval } from '../experiment/statistics/index.ts'
export type { ApprovalAnswer, ClientRunOptions, InputQuestion } from '../option-checks.ts'
export type { RunStream } from '../stream/run-stream.ts'
export { RESET } from '../stream/text-pieces.ts'
export type { TypedResult } from '../typed-output.ts'
<<<<<<< HEAD
export type { ExperimentItem, Experiments, ShownExperiment } from './experiments.ts'
=======
export type { ArtifactOptions } from './read-artifact.ts'
>>>>>>> main
export { createClient, ServiceClient } from './remote-client.ts'
export { isServerUrl, type RemoteOptions as ServiceClientOptions } from './remote-options.ts'
export { createRemoteRuntime, type RemoteRuntime } from './remote-runtime.ts'
export { exchangeCode, readSession, type Session } from './session/session.ts'
