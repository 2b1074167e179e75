import type { MediaPart } from '@svc/core'

/** A PDF as both formats of OpenAI take it: under a name, as a data URL. */
export const toWireFile = ({ name = 'document.pdf', mimeType, data }: MediaPart) => ({
  filename: name,
  file_data: `data:${mimeType};base64,${data}`,
})
