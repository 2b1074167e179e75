import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Io } from '../../frame/io.ts'
import { wrong } from '../../line/wrong.ts'

/**
 * Lets a person write a text with their own editor: `VISUAL`, else `EDITOR`, else vi.
 *
 * @returns undefined where the editor ended with a code that is not 0
 * @throws ValidationError where there is no such program
 */
export async function editOutside(text: string, env: Io['env']): Promise<string | undefined> {
  const command = env.VISUAL || env.EDITOR || 'vi'
  const folder = mkdtempSync(join(tmpdir(), 'svc-edit-'))
  const file = join(folder, 'task.md')
  try {
    writeFileSync(file, text, { mode: 0o600 })
    const [program = 'vi', ...args] = command.split(/\s+/).filter(Boolean)
    const code = await new Promise<number | null>((resolve, reject) => {
      const child = spawn(program, [...args, file], { stdio: 'inherit' })
      child.on('error', () =>
        reject(wrong(`the editor ${program} cannot be started: set EDITOR to one that is installed`)),
      )
      child.on('close', resolve)
    })
    return code === 0 ? readFileSync(file, 'utf8').replace(/\r\n?/g, '\n').replace(/\n$/, '') : undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
