/** S22: a file is changed after `svc trust`, and svc starts once more. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../src/config/load-config.ts'
import { recordTrust } from '../../src/config/trust/trust.ts'
import { addFiles, makeMachine } from '../fixtures/config-folders.ts'
import { changedText, SPELLINGS } from './s22-spellings.ts'

/** Trusts each project, changes what it imports, loads it. @returns the names of those whose changed file has run */
export async function attack(): Promise<string[]> {
  const ran: string[] = []
  for (const [name, spelling] of Object.entries(SPELLINGS)) {
    const { work, user, canary, options } = makeMachine({ 'docs/b.js': '', ...spelling.files })
    addFiles(work, { 'docs/b.js': `require('fs').writeFileSync(${JSON.stringify(canary)}, 'ran')` })
    await recordTrust(work, { userDir: user })
    addFiles(work, { [spelling.changes]: changedText(spelling, canary) })
    await loadConfig(options).catch(() => {})
    if (existsSync(canary)) ran.push(name)
  }
  if (await runsSwapped()) ran.push(SWAPPED)
  return ran
}

export const SWAPPED = 'a file that is swapped after it was hashed'

/** The swap happens at the one moment that a local writer waits for: the folder has been checked, the file is read next. */
async function runsSwapped(): Promise<boolean> {
  const { work, user, canary, options } = makeMachine({
    'svc.config.ts': "import './swap.ts'\nawait import('./h.ts')\nexport default {}\n",
    'swap.ts': '',
    'h.ts': '',
  })
  const evil = `require('fs').writeFileSync(${JSON.stringify(canary)}, 'ran')`
  addFiles(work, {
    'swap.ts': `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(join(work, 'h.ts'))}, ${JSON.stringify(evil)})`,
  })
  await recordTrust(work, { userDir: user })
  await loadConfig(options).catch(() => {})
  if (readFileSync(join(work, 'h.ts'), 'utf8') !== evil) throw new Error('nothing was swapped')
  return existsSync(canary)
}
