/** `@svc/core/client`: what a client of a server needs, in a browser too: nothing here imports a module of Node or TypeBox. */

export { toAgentId } from './contracts/agent-id.ts'
export { comparedPart, VOLATILE_FIELDS } from './contracts/compared-event.ts'
export { isEphemeral, isTerminalEvent } from './contracts/event.ts'
export type * from './contracts/index.ts'
export { promptOf } from './contracts/prompt-of.ts'
export { isTerminal } from './contracts/run-end.ts'
export { RunView } from './contracts/run-view.ts'
export * from './errors.ts'
export { nearest } from './text/nearest.ts'
export { toVisible, toVisibleJson, UNSAFE } from './text/visible.ts'
