import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '@svc/core'
import { recordWritten, toWorkspace } from '@svc/core/config'
import type { CommandContext } from '../../frame/context.ts'
import { wrong } from '../../line/wrong.ts'
import { makePlainFolder } from '../../session/agent-files.ts'
import { TEMPLATES, type Template } from './templates.ts'

/** `svc init plugin|tool|provider [name]`: writes a part of one's own that works, and a test of it. */
export default async function initPart(context: CommandContext, kind: string, given?: string): Promise<number> {
  const { folder, name: usual, part, test } = TEMPLATES[kind] as Template
  const name = given ?? usual
  if (!/^[a-z][a-z0-9]*([-_][a-z0-9]+)*$/.test(name) || (kind !== 'tool' && name.includes('_')))
    throw wrong(`svc init ${kind}: "${name.slice(0, 80)}" is no name such as ${usual}`)
  const workspace = toWorkspace(context.flags.cwd)
  const partFile = join('.svc', folder, `${name}.mjs`)
  const testFile = join('test', `${name}.test.mjs`)
  const there = [partFile, testFile].find((file) => existsSync(join(workspace, file)))
  if (there !== undefined)
    throw new ConfigError('config_invalid', `${there} is there already: svc init ${kind} <name> takes another name`)
  await makePlainFolder(workspace, ['.svc', folder])
  await makePlainFolder(workspace, ['test'])
  const text = part(name)
  await writeFile(join(workspace, partFile), text, { flag: 'wx' })
  await writeFile(join(workspace, testFile), test(name, `../.svc/${folder}/${name}.mjs`), { flag: 'wx' })
  // What svc itself writes into a folder that is trusted stays trusted.
  await recordWritten(workspace, join(workspace, partFile), text)
  context.print({ part: partFile, test: testFile }, () =>
    [
      `wrote ${partFile} and ${testFile}`,
      `  node --test ${testFile}: tests it, where @svc/core is installed`,
      `  svc trust: lets svc use it here`,
      `  svc conform ${partFile}: checks it again after a change`,
    ].join('\n'),
  )
  return 0
}
