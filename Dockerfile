# The image of the service, without a configuration: docker build -t quittance .
# It writes nothing, so it runs with a read-only root; DATABASE_URL is required.
FROM oven/bun:1.4.5 AS build
WORKDIR /build
COPY package.json bun.lock bunfig.toml ./
COPY patches patches
RUN bun install --frozen-lockfile --silent
COPY . .
RUN bun scripts/build.ts

FROM oven/bun:1.4.5-slim
WORKDIR /opt/quittance
COPY --from=build /build/dist .
COPY --chmod=755 deploy/quittance.sh bin/quittance
ENV PATH=/opt/quittance/bin:$PATH NODE_ENV=production METRICS_PORT=9100
# The image's user `bun`, by number, since some platforms check that it is not root.
USER 1000:1000
EXPOSE 3000 9100
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["bun", "--no-install", "-e", "await fetch(`http://127.0.0.1:${process.env.METRICS_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["quittance"]
CMD ["start"]
