/** Hands a file to the person, as a download of the browser. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // The download has begun by then, and holds the content itself.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
