import type { Message } from '../../../contracts/model/message.ts'
import type { ModelInfo, ModelRequest } from '../../../contracts/model/model.ts'
import { toReadable } from '../../../text/media/media.ts'

/**
 * A request as a model can read it, with the images and files that it is given in words alone.
 *
 * @param info what is known of the model; what nobody knows is asked
 * @returns the same request where the model is shown everything
 */
export function toReadableRequest(
  request: ModelRequest,
  info: ModelInfo | undefined,
): { request: ModelRequest; unseen: readonly string[] } {
  if (info === undefined || (info.vision !== false && info.pdf !== false)) return { request, unseen: [] }
  const unseen = new Set<string>()
  const messages = request.messages.map((message): Message => {
    const content = toReadable(message.content, info, (what) => unseen.add(what))
    return content === message.content ? message : { ...message, content }
  })
  return unseen.size === 0 ? { request, unseen: [] } : { request: { ...request, messages }, unseen: [...unseen] }
}
