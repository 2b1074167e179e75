import type { Warning } from '../warning.ts'
import type { Tool } from './tool.ts'

/** Tools of which it is known only while the runtime works which there are, such as those of another program. */
export interface ToolSource {
  /** A glob of all their ids, such as `mcp.files.*`: requests may name one that is not known yet. */
  readonly pattern: string
  /**
   * Those that are known now; asked often. Contract: `findParametersError` of `@svc/core/schema` finds nothing wrong with
   * their parameters, and the pattern has their ids.
   */
  tools(): readonly Tool[]
  /**
   * Called before a run is offered its tools, where it may use these. Contract: does not reject, and answers soon:
   * the run waits for it.
   *
   * @returns what the run is to be warned of
   */
  prepare?(): Promise<readonly Warning[]>
}
