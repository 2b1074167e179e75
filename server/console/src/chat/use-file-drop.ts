import type { TargetedDragEvent } from 'preact'
import { useState } from 'preact/hooks'

/** Takes files that are dropped on an element; texts are left to what they are dropped on. */
export function useFileDrop(onFiles: (files: readonly File[]) => void) {
  const [isOver, setOver] = useState(false)
  const takeIf = (event: TargetedDragEvent<HTMLElement>, is: boolean): void => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    setOver(is)
  }
  return {
    'data-over': isOver,
    onDragOver: (event: TargetedDragEvent<HTMLElement>) => takeIf(event, true),
    onDragLeave: () => setOver(false),
    onDrop(event: TargetedDragEvent<HTMLElement>) {
      takeIf(event, false)
      const { files } = event.dataTransfer ?? {}
      if (files !== undefined && files.length > 0) onFiles([...files])
    },
  }
}
