import type { AgentInput, AgentProfile } from '../plugin/agent-profile.ts'

/** Agent profiles under their ids. */
export interface AgentApi {
  list(): Promise<AgentProfile[]>
  get(id: string): Promise<AgentProfile>
  /**
   * Saves a profile under its id.
   *
   * @param options.replaces the profile as it was read: nobody else's change is written over
   * @throws ConflictError `version_conflict` where it was changed since
   */
  put(profile: AgentInput, options?: { replaces?: AgentProfile }): Promise<AgentProfile>
  delete(id: string): Promise<void>
}
