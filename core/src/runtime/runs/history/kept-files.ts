import type { Reach } from '../../../contracts/runtime/reach.ts'
import type { CallChanges } from '../../../contracts/tool/file-change.ts'
import { digestBytes } from '../../../support/ids.ts'
import type { Environment } from '../../environment.ts'
import { fileChangesOf } from '../../journal/file-changes.ts'
import type { RunService } from '../service/run-service.ts'

/** What runs keep of the files that their calls changed. */
export class KeptFiles {
  readonly #current: () => Environment
  readonly #runs: RunService

  constructor(current: () => Environment, runs: RunService) {
    this.#current = current
    this.#runs = runs
  }

  /** See `RunHistory.fileChanges`. */
  async changes(id: string, reach?: Reach): Promise<CallChanges[]> {
    const row = await this.#runs.row(id, reach)
    return fileChangesOf(await this.#current().store.steps(row.id))
  }

  /** See `RunHistory.fileContent`. Other payloads of the store are not handed out by their hash. */
  async content(id: string, sha256: string, reach?: Reach): Promise<Uint8Array | undefined> {
    const states = (await this.changes(id, reach)).flatMap(({ changes }) =>
      changes.flatMap(({ before, after }) => [before, after]),
    )
    if (!states.some((state) => state?.sha256 === sha256 && state.lost === undefined)) return undefined
    const content = await this.#current().store.payloads.get(sha256)
    return content !== undefined && digestBytes(content) === sha256 ? content : undefined
  }
}
