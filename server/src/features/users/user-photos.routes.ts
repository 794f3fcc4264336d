import { uploadUserPhoto } from '@pressel/contract/users';
import type { FastifyInstance } from 'fastify';
import type { ServeCall } from '#src/http/call-server.ts';
import { PHOTOS_PATH } from '#src/http/signed-paths.ts';
import type { UserPhotosService } from './user-photos.service.ts';

export function userPhotoRoutes(
  serve: ServeCall,
  { app, photos }: { app: FastifyInstance; photos: UserPhotosService },
): void {
  serve(uploadUserPhoto, async ({ userId, photo_url }, { session, signal }) => ({
    success: true as const,
    photo_url: await photos.set(session, userId, photo_url, signal),
  }));

  app.get<{ Params: { file: string } }>(`${PHOTOS_PATH}:file`, async (request, reply) => {
    const { type, content, bytes, secondsLeft } = await photos.read(request.params.file, request.query);
    return reply
      .headers({
        'content-type': type,
        'content-length': bytes,
        'cache-control': `private, max-age=${secondsLeft}, immutable`,
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
      })
      .send(content);
  });
}
