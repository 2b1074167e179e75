import { randomBytes } from 'node:crypto'
import { lstat, mkdir, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AgentFiles, ConfigError, type LoadedConfig, NotFoundError } from '@svc/core'
import { defaultUserDir, recordWritten } from '@svc/core/config'

const ENDINGS = ['json', 'yaml', 'yml', 'md']

/**
 * Keeps agent profiles as files, one each, in `.svc/agents` of a trusted project; elsewhere with the person's own, where
 * they count. A folder `.svc` that is made on the way would make a project, with a data folder of its own, in which no
 * earlier run is.
 */
export function createAgentFiles(loaded: LoadedConfig): AgentFiles {
  const { projectDir, trusted, workspace } = loaded
  const project = trusted ? projectDir : undefined
  const folder = project === undefined ? join(defaultUserDir(), 'agents') : join(project, '.svc', 'agents')
  // What this program writes into a folder that is trusted stays trusted.
  const keepTrust = async (file: string, content: string | undefined): Promise<void> => {
    if (project !== undefined) await recordWritten(workspace, file, content)
  }
  return {
    async save({ id, ...profile }) {
      if (project === undefined) await mkdir(folder, { recursive: true })
      else await makePlainFolder(project, ['.svc', 'agents'])
      const file = join(folder, `${id}.json`)
      const draft = `${file}.${randomBytes(6).toString('hex')}.new`
      const content = `${JSON.stringify(profile, null, 2)}\n`
      try {
        // A link is never followed: the draft must be new, and renaming replaces a link and not what it leads to.
        await writeFile(draft, content, { flag: 'wx' })
        await rename(draft, file)
      } catch (thrown) {
        await rm(draft, { force: true })
        throw thrown
      }
      await keepTrust(file, content)
    },
    async remove(id) {
      if (project !== undefined) await makePlainFolder(project, ['.svc', 'agents'])
      const removed: string[] = []
      for (const file of ENDINGS.map((ending) => join(folder, `${id}.${ending}`))) {
        await rm(file).then(
          () => removed.push(file),
          () => {},
        )
      }
      if (removed.length === 0) {
        throw new NotFoundError(
          'agent_not_found',
          `agent "${id}" is not one of ${folder}: it comes from a config, so take it out there`,
        )
      }
      for (const file of removed) await keepTrust(file, undefined)
    },
  }
}

/** Makes folders in a project, and refuses one that is a link: what is written there would land somewhere else. */
export async function makePlainFolder(project: string, names: readonly string[]): Promise<void> {
  let folder = await realpath(project)
  for (const name of names) {
    folder = join(folder, name)
    await mkdir(folder).catch((thrown: unknown) => {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown
    })
    if (!(await lstat(folder)).isDirectory() || (await realpath(folder)) !== folder)
      throw new ConfigError(
        'config_invalid',
        `${folder} is a link or a file, so nothing is written into it: make it a folder`,
      )
  }
}
