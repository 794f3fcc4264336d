/** A guest link opens a room while who made it is an administrator (GUEST5). */
export const mayHaveLinks = (maker: { role: 'admin' | 'member' }): boolean => maker.role === 'admin';
