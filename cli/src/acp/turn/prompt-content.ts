import { lstatSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ContentBlock, EmbeddedResource, ResourceLink } from '@agentclientprotocol/sdk'
import type { RunCreate } from '@svc/core'
import { Attachments } from '@svc/core/text'
import { wrong } from '../../line/wrong.ts'

/** What of a run a prompt says. */
export type Asked = Pick<RunCreate, 'task' | 'context' | 'files' | 'untrusted'>

/** Of files that are read into a prompt because it links to them. */
const MOST_LINKED_BYTES = 1_000_000

/**
 * The task of a prompt and what comes with it: embedded resources and images as material, linked files of the workspace to be
 * read when the run is made, other links by name. What an editor embeds from elsewhere than a file taints the run.
 *
 * @param workspace absolute, without links
 * @throws ValidationError `validation_failed` naming the block
 */
export function toAsked(blocks: readonly ContentBlock[], workspace: string): Asked {
  const attachments = new Attachments()
  const files = new Set<string>()
  const untrusted = new Set<string>()
  let text = ''
  const attach = (at: number, name: string, bytes: Buffer): void => {
    const problem = attachments.add(name, bytes)
    if (problem !== undefined) throw refuse(at, `${name} ${problem}`)
  }
  for (const [at, block] of blocks.entries()) {
    if (block.type === 'text') text += block.text
    else if (block.type === 'resource_link') {
      text += nameOf(block, workspace)
      const path = linkedFile(block.uri, workspace)
      if (path !== undefined) files.add(path)
    } else if (block.type === 'resource') {
      const { uri, bytes } = contentOf(block)
      const name = pathInside(uri, workspace) ?? uri
      attach(at, name, bytes)
      if (!uri.startsWith('file:')) untrusted.add(name.slice(0, 4_096))
    } else if (block.type === 'image') attach(at, block.uri ?? `image ${at + 1}`, Buffer.from(block.data, 'base64'))
    else throw refuse(at, `is ${block.type}, which svc cannot take: send text, image, resource or resource_link`)
  }
  const context = attachments.after(undefined)
  if (text.trim() === '' && context === undefined) throw wrong('prompt: it is empty: say what is to be done', 'prompt')
  return {
    task: text.trim() === '' ? 'See what is attached.' : text,
    ...(context !== undefined && { context }),
    ...(files.size > 0 && { files: [...files] }),
    ...(untrusted.size > 0 && { untrusted: [...untrusted] }),
  }
}

const refuse = (at: number, message: string) => wrong(`prompt[${at}]: ${message}`, `prompt/${at}`, message)

function contentOf({ resource }: EmbeddedResource): { uri: string; bytes: Buffer } {
  const bytes = 'text' in resource ? Buffer.from(resource.text) : Buffer.from(resource.blob, 'base64')
  return { uri: resource.uri, bytes }
}

/** How a link reads in the task. */
function nameOf({ uri, name }: ResourceLink, workspace: string): string {
  const path = pathInside(uri, workspace)
  if (path !== undefined) return `\`${path}\``
  return name === '' || name === uri ? uri : `${name} (${uri})`
}

/** A path from the workspace, with `/`; undefined for what is not in it. */
function pathInside(uri: string, workspace: string): string | undefined {
  if (!uri.startsWith('file:')) return undefined
  try {
    const path = relative(workspace, fileURLToPath(uri))
    return path === '..' || path.startsWith(`..${sep}`) ? undefined : path.split(sep).join('/') || '.'
  } catch {
    return undefined
  }
}

/** A linked file that is to be read; a folder, and what is too long, agents read as far as they want. */
function linkedFile(uri: string, workspace: string): string | undefined {
  const path = pathInside(uri, workspace)
  const found = path === undefined ? undefined : lstatSync(fileURLToPath(uri), { throwIfNoEntry: false })
  // A name that a glob could be is not read as one.
  return found?.isFile() && found.size <= MOST_LINKED_BYTES && path !== undefined && !/[*?[{]/.test(path)
    ? path
    : undefined
}
