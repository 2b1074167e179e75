/** Servers of the Model Context Protocol, and what of them was seen before. */
export type { McpCallOptions } from './connect/calls.ts'
export type { McpPlace } from './connect/open-client.ts'
export { comparePins, describeChanges, McpPins, type PinChanges } from './pins/pins.ts'
export { type Vetted, type VettedTool, vetTools } from './pins/vet-tools.ts'
export { type McpServer, openMcpServer } from './server.ts'
export type * from './types.ts'
