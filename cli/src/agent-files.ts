import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AgentFiles, type LoadedConfig, NotFoundError } from '@svc/core'
import { defaultUserDir, recordTrust } from '@svc/core/config'

/**
 * Keeps agent profiles as files, one each, in the project's `.svc/agents`; outside of a project with the person's own. A
 * folder `.svc` that is made on the way would make a project, with a data folder of its own, in which no earlier run is.
 */
export function createAgentFiles(loaded: LoadedConfig): AgentFiles {
  const folder =
    loaded.projectDir === undefined ? join(defaultUserDir(), 'agents') : join(loaded.projectDir, '.svc', 'agents')
  // What this program writes into a folder that is trusted stays trusted.
  const keepTrust = async (): Promise<void> => {
    if (loaded.trusted) await recordTrust(loaded.workspace)
  }
  return {
    async save({ id, ...profile }) {
      await mkdir(folder, { recursive: true })
      const file = join(folder, `${id}.json`)
      await writeFile(`${file}.new`, `${JSON.stringify(profile, null, 2)}\n`)
      await rename(`${file}.new`, file)
      await keepTrust()
    },
    async remove(id) {
      const removed = await Promise.all(
        ['json', 'yaml', 'yml', 'md'].map((ending) =>
          rm(join(folder, `${id}.${ending}`)).then(
            () => true,
            () => false,
          ),
        ),
      )
      if (!removed.includes(true)) {
        throw new NotFoundError(
          'agent_not_found',
          `agent "${id}" is not one of ${folder}: it comes from a config, so take it out there`,
        )
      }
      await keepTrust()
    },
  }
}
