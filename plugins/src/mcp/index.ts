/** Servers of the Model Context Protocol, and what of them was seen before. */
export { expandServer } from './connect/expand.ts'
export { type LoginOptions, logInToMcpServer } from './oauth/login.ts'
export { forgetLogins } from './oauth/logins-file.ts'
export { comparePins, describeChanges, McpPins, type PinChanges } from './pins/pins.ts'
export { chooseTools, type Vetted, type VettedTool, vetTools } from './pins/vet-tools.ts'
export { type McpServer, openMcpServer } from './server.ts'
export { riskOf as riskOfServerTool } from './tools/server-tool.ts'
export type * from './types.ts'
