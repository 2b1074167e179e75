import type { AgentInput, AgentProfile } from '../plugin/agent-profile.ts'

/** Agent profiles under their ids. */
export interface AgentApi {
  list(): Promise<AgentProfile[]>
  get(id: string): Promise<AgentProfile>
  put(profile: AgentInput): Promise<AgentProfile>
  delete(id: string): Promise<void>
}
