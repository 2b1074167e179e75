import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ConfigError } from '@svc/core'
import { checkTrust, findProject, recordTrust, toWorkspace } from '@svc/core/config'
import type { CommandContext } from '../frame/context.ts'
import { toSafe } from '../frame/io.ts'
import { auditTrust } from '../session/audit-trust.ts'

const NAME = 'svc.config.ts'

const TEMPLATE = `import { defineConfig } from '@svc/core'

// Every field may be left out. \`svc config show\` prints what counts, and where it comes from.
export default defineConfig({
  // The model of every agent; \`svc models\` lists what there is.
  // model: 'openai/gpt-5',

  // Soft budget of a run in tokens; twice as much is the hard limit.
  tokenBudget: 64_000,

  // Hard limits. A limit in US dollars needs a model with a price.
  // budget: { maxCostUsd: 1, maxWallMs: 600_000 },

  // A model server with OpenAI's format. The key stands in the variable that is named.
  // providers: { house: { type: 'openai', baseUrl: 'http://127.0.0.1:8000/v1', apiKeyEnv: 'HOUSE_API_KEY' } },

  // What tools may do without asking. A rule that denies or asks goes before one that allows.
  // policy: { rules: [{ tool: 'write_file', decision: 'allow', paths: ['docs/**'] }] },

  // Profiles for --agent; files in .svc/agents/ do the same.
  // agents: { reviewer: { name: 'Reviewer', instructions: 'Read closely. Name file and line.' } },

  // false: runs outside of conversations remember nothing of each other.
  // persistSessions: false,
})
`

/** `svc init`: writes a config with comments, and trusts it; of a kind, a part of one's own with its test. */
export default async function init(context: CommandContext, [kind, name]: string[]): Promise<number> {
  if (kind !== undefined) return (await import('./init/part.ts')).default(context, kind, name)
  const before = checkTrust(context.flags.cwd ?? process.cwd())
  const folder = toWorkspace(context.flags.cwd)
  const known = findProject(folder)?.configFile
  if (known !== undefined && dirname(known) === folder)
    throw new ConfigError('config_invalid', `${known} is there already: svc config show prints what it says`)
  const file = join(folder, NAME)
  try {
    await writeFile(file, TEMPLATE, { flag: 'wx' })
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    const why = code === 'EEXIST' ? 'is there already' : `cannot be written: ${code}`
    throw new ConfigError('config_invalid', `${file} ${why}`)
  }
  // What was there before, and nobody has trusted, is not trusted by the way; nor is what others write meanwhile.
  const own = new Map([[file, createHash('sha256').update(TEMPLATE).digest('hex')]])
  const wasTrusted = before.state === 'trusted' && before.folder === folder
  const only = wasTrusted ? new Map([...before.files, ...own]) : own
  const trusted = [...checkTrust(folder).files.keys()].every((path) => only.has(path))
  if (trusted) {
    auditTrust('trust.given', folder, context.io.env, { files: only.size })
    await recordTrust(folder, { only })
  }
  context.print({ file, trusted }, () =>
    trusted ? `wrote ${file}, which is trusted as it is now; after a change, svc trust` : `wrote ${file}`,
  )
  if (!trusted) context.io.err('svc: other files of svc were here and are not trusted: svc trust --list shows them\n')
  if (known !== undefined) context.io.err(toSafe(`svc: below ${folder} it is read in place of ${known}\n`))
  return 0
}
