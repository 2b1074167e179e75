import { VERSION } from '@svc/core'
import { INPUT_MODES } from './message.ts'

const OUTPUT_MODES = ['text/plain', 'application/json']
const DESCRIPTION = 'Runs tasks through teams of agents, durably.'

/**
 * The agent card of this server.
 *
 * @param base its address
 * @param hasKeys whether a key is needed
 */
export const toAgentCard = (base: string, hasKeys: boolean): object => ({
  name: 'svc',
  description: DESCRIPTION,
  version: VERSION,
  supportedInterfaces: [
    { url: `${base}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url: `${base}/a2a/v1`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
  ],
  capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
  securitySchemes: {
    bearer: { httpAuthSecurityScheme: { scheme: 'Bearer', description: 'a key of this server' } },
  },
  securityRequirements: hasKeys ? [{ schemes: { bearer: { list: [] } } }] : [],
  defaultInputModes: INPUT_MODES,
  defaultOutputModes: OUTPUT_MODES,
  skills: [
    {
      id: 'run',
      name: 'Run a task',
      description: `${DESCRIPTION} It plans, uses its tools, checks its answer, and asks before it does what has to be asked for.`,
      tags: ['task', 'agents', 'planning', 'tools'],
      examples: ['Compare the two reports and say what changed.'],
    },
  ],
})
