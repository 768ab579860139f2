# The gateway as an image: built in one stage, only production packages and dist/ in the last.
# Runs as uid 1000 without a capability, on a read-only root; everything it writes is in the volume /data.
# One container, with the database inside:  docker run --read-only --tmpfs /tmp -v gateway:/data IMAGE  (see docs/operations/docker.md)
ARG NODE_IMAGE=docker.io/library/node:22.23.2-bookworm-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/trim.mjs scripts/trim.mjs
# No package runs a script of its own (docs/decisions/0008). The Node among the packages is left out: the image is that Node (0061).
# So is what this machine cannot run of the others (0068).
RUN npm ci --omit=dev --ignore-scripts --no-update-notifier && \
    rm -rf node_modules/node-linux-* node_modules/.bin/node && \
    node scripts/trim.mjs

FROM packages AS build
RUN npm ci --ignore-scripts --no-update-notifier
COPY . .
# The image has no .git: docker build --build-arg COMMIT=$(git rev-parse --short=12 HEAD) .
ARG COMMIT=
RUN BUILD_COMMIT=${COMMIT} node scripts/build.mjs

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATA_DIR=/data
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE THIRD-PARTY.md ./
COPY scripts/health.mjs scripts/health.mjs
# A fresh volume takes the owner of the folder that it covers.
RUN mkdir /data && chown 1000:1000 /data && chmod 0700 /data
VOLUME ["/data"]
# By number, so that a platform can see that it is not root; the image has an account with it, which PostgreSQL asks for.
USER 1000:1000
EXPOSE 8080
STOPSIGNAL SIGTERM
# The port opens when the migrations are done. In Docker the first good answer ends the start period, so a long one hides nothing later;
# Podman counts it by the clock, and has a check of its own for the start (docs/operations/docker.md).
HEALTHCHECK --interval=10s --timeout=5s --start-period=60m --retries=3 CMD ["node", "scripts/health.mjs"]
# Why these: scripts/v8-flags.ts.
ENTRYPOINT ["node", "--max-semi-space-size=32", "--v8-pool-size=0", "dist/src/main.js"]
